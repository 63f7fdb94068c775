from fastgc.decoding.decode import Decoding as Decoding
from fastgc.decoding.decode import Decodings as Decodings
from fastgc.decoding.inspection import Datasheet as Datasheet
from fastgc.decoding.rule import DecodingRule as DecodingRule
