"""Sources that claims of the wider literature name: what a citation contains, and the source."""

SOURCES = {
    "1612.03301": "Tandon, Lei, Dimakis, Karampatziakis, Gradient Coding (arXiv:1612.03301)",
    "1707.03858": (
        "Raviv, Tamo, Tandon, Dimakis, Gradient Coding from Cyclic MDS Codes and Expander Graphs "
        "(arXiv:1707.03858)"
    ),
    "1711.06771": (
        "Charles, Papailiopoulos, Ellenberg, Approximate Gradient Coding via Sparse Random Graphs "
        "(arXiv:1711.06771)"
    ),
    "1905.05383": (
        "Bitar, Wootters, El Rouayheb, Stochastic Gradient Coding for Straggler Mitigation in "
        "Distributed Learning (arXiv:1905.05383)"
    ),
    "1904.13373": (
        "Kadhe, Koyluoglu, Ramchandran, Gradient Coding Based on Block Designs for Mitigating "
        "Adversarial Stragglers (arXiv:1904.13373)"
    ),
    "1802.03475": (
        "Ye, Abbe, Communication-Computation Efficient Gradient Coding (arXiv:1802.03475)"
    ),
    "2006.09638": (
        "Glasgow, Wootters, Approximate Gradient Coding with Optimal Decoding (arXiv:2006.09638)"
    ),
    "2402.12584": (
        "Sarmasarkar, Pillai, Optimal Moments on Redundancies in Job Cloning (arXiv:2402.12584)"
    ),
    "1512.02673": (
        "Lee, Lam, Pedarsani, Papailiopoulos, Ramchandran, Speeding Up Distributed Machine "
        "Learning Using Codes (arXiv:1512.02673)"
    ),
    "1710.00748": "Aktas, Peng, Soljanin, Effective Straggler Mitigation (arXiv:1710.00748)",
    "1810.08313": "Wang, Joshi, Adaptive Communication Strategies (arXiv:1810.08313)",
    "2006.02318": "Behrouzi-Far, Soljanin, Efficient Replication (arXiv:2006.02318)",
    "1803.01113": "Dutta et al., Slow and Stale Gradients (arXiv:1803.01113)",
    "2211.13802": (
        "Krishnan, Ebrahimi, Khisti, Sequential Gradient Coding for Straggler Mitigation "
        "(arXiv:2211.13802)"
    ),
    "1412.6980": "Kingma, Ba, Adam (arXiv:1412.6980)",
    "two-class model of paper agc": (
        "Johri, Yardi, Bodas, Approximate Gradient Coding for Heterogeneous Nodes"
    ),
    "Golub": "Golub, Van Loan, Matrix Computations (1996)",
    "David, Nagaraja": "David, Nagaraja, Order Statistics (2003)",
    "Johnson, Kotz": "Johnson, Kotz, Balakrishnan, Continuous Univariate Distributions 1 (1994)",
    "Arnold, Groeneveld": "Arnold, Groeneveld, Annals of Statistics 7 (1979)",
    "Epstein, Sobel": "Epstein, Sobel, Life Testing (1953)",
    "Feller": "Feller, An Introduction to Probability Theory and Its Applications 1 (1968)",
    "Norris": "Norris, Markov Chains (1997)",
    "two-state chain": "Norris, Markov Chains (1997)",
    "Lindley": "Lindley, The Theory of Queues with a Single Server (1952)",
    "Salmon": "Salmon, Moraes, Dror, Shaw, Parallel Random Numbers: As Easy as 1, 2, 3 (SC 2011)",
    "Devroye": "Devroye, Non-Uniform Random Variate Generation (1986)",
}
