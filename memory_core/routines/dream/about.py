"""What a text is about: its content words, and short names such as `npm` or `web` besides."""

from __future__ import annotations

import re

from memory_core.routines.statements import content
from memory_core.text import fold

_SHORT = re.compile(r"(?<![\w'’])[^\W\d_]{2,3}(?![\w'’])")
_FUNCTION_WORDS = """
    a an the of to in on for and or but is are was be do did does i me my we us our you it its he
    she him her his who how why if as at by no not nor can may out up off all any one two few too
    ago yes yet via per get got let has had see say new old now own use way day put did set run try
    add end lot en et ei de det den som er var men av på til fra med om at å jeg du vi han hun seg
    sin min har kan nå der her ut opp ned ett to tre ja nei kl ble så da når hva ein der die das dem
    des und ist war zu im am an auf für mit aus bei nach ich wir ihr sie es so nur wie was wer wo
    zum zur vom bis vor als man hat sei mal pro je tag uhr le la les un une et est du au que qui el
    los del con por una ok hi hei hey oh ah eh um uh mm cm km kg kb mb gb tb ms min sec am pm
"""
_FUNCTION = frozenset(_FUNCTION_WORDS.split())


def about(text: str) -> frozenset[str]:
    """The words, folded and stemmed, that say what a text is about."""
    short = {fold(word) for word in _SHORT.findall(text)} - _FUNCTION
    return frozenset(content(text) | short)
