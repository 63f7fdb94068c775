"""What a paper, a claim and a closed form are; every formula and claim registers with its paper."""
