"""Knows lines that stand for text which is left out, in any wording, where an edit drops much. Pure.

Honest texts hold such words too, so they count where most of a file or a block goes, and nowhere else.
"""

from __future__ import annotations

import re

_DOT = r"(?:\.{3,}|…+|⋯+|⋮+|\.(?: \.){2,})"
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_MARKS = re.compile(r"[\s|,<>\"'`:;{}()\[\]*#/_!%&+=~-]+")
_ONLY_DOTS = re.compile(r"[.…⋯⋮]+")
_ANY_DOT = re.compile(_DOT)
_BETWEEN = re.compile(rf"\w\S*\s+{_DOT}\s+\w")
_LEADER = re.compile(r"(?:#+|//+|/\*+|\*|<!--+|--|;+|%+|\{\s*/\*|\(\*|>|REM\b|\{#|[-*+] [\[(_*])\s*")
_TRAILER = re.compile(r"\s*(?:\*+/\s*\}?|-->|\*\)|#\})$")
_WRAPPED = re.compile(r"([*_]{0,3})[\[({<].+[\])}>]\1|([*_]{1,3}).+\2")
_AROUND = " .…()[]{}<>-–—*_:!"
_WORDS = 16
_LETTERS = 500
"""Longer lines are no notes, and looking for words costs the square of a word's length."""
_STATE = (
    r"unchanged|untouched|unmodified|unaffected|unaltered|unverändert\w*|ungeändert|inchangée?s?|invariat\w+"
    r"|sin cambios|sem alterações|ongewijzigd|oförändra\w+|bez zmian|без изменений"
    r"|wie (?:bisher|vorher|zuvor|gehabt)|"
    r"not (?:be )?(?:affected|changed|modified|touched|shown|altered|needed here)"
    r"|stay(?:s|ed)?|remain(?:s|ed)?|retain(?:s|ed)?|preserved|kept|left (?:alone|out|as)|identical|omitted"
    r"|elided|without (?:any )?changes?|(?:goes?|follows?) here|ne changent? pas|ne change pas"
    r"|no (?:\w+ )?(?:modifications?|changes?|edits?)"
    r"|(?:do|does|did|will|need)(?: not|n't)? (?:need to |have to |needs? )?(?:change|be changed|no changes?)"
    r"|(?:the )?same as (?:the )?(?:current|before|above|original|existing|previous|old)\b"
    r"|as (?:before|is|it was|it is|they are|they were|above|in the original)|goes on|continues?|same"
)
_SUBJECT = (
    r"others?|rest|remaining|remainder|previous|next|following|existing|original|current|all|everything|anything"
    r"|nothing (?:else|more)|methods?|functions?|code|implementations?|body|lines?|sections?|paragraphs?"
    r"|entries|rows?|reste|autres|items?|keys?|files?|documents?|class(?:es)?|tests?|fields?|contents?"
    r"|\w+ (?:through|to|until|bis|and) \w+"
)
_BETWEEN_NAMES = r"\w+ (?:through|until|bis) \w+"
_REST = r"others?|rest|remaining|remainder|previous|next|following|existing|original|everything|reste|autres"
_TAIL = (
    r"(?: (?:here|below|above|for (?:now|brevity)|as (?:before|above|is)|(?:by|in|with) (?:this|the) "
    r"(?:change|edit|file|class|function|patch|module)))*"
)
_IS_STATE = re.compile(rf"(?:(?:is|are|left|all|ist|bleibt|bleiben|exactly) )*(?:{_STATE})", re.IGNORECASE)
_STATES = re.compile(rf"\b(?:{_STATE})(?!\w)", re.IGNORECASE)
_SUBJECTS = re.compile(rf"\b(?:{_SUBJECT})\b", re.IGNORECASE)
_RESTS = re.compile(rf"\b(?:{_REST}|{_BETWEEN_NAMES})\b", re.IGNORECASE)
_ENDS = re.compile(rf"\b(?:{_STATE}){_TAIL}$", re.IGNORECASE)
_NO_MORE = re.compile(
    r"\bnothing (?:else|more|further) (?:(?:is|has|was) )?(?:changes?|changed|touched|here)\b"
    r"|^\d+ (?:more|others?|further|additional)\b|\brepeat(?:ed|s)? for\b|\band so (?:on|forth)$"
    r"|\bcopy .+ from (?:your|the)\b|^unchanged:"
    r"|^same as (?:the )?(?:current|before|above|original|existing|previous|old)\b",
    re.IGNORECASE,
)
_BODY = re.compile(rf"\{{\s*{_DOT}\s*\}}")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_NOTHING = re.compile(
    r"\bnothing (?:else|more|further)\b|\b\d+ (?:more|others?|further|additional)\b"
    r"|\b(?:more|other|remaining) (?:rows?|items?|entries|lines?|values?|keys?|records?)\b"
    r"|\brepeat(?:ed|s)? for\b|\band so (?:on|forth)\b|\bcopy .+ from (?:your|the)\b|^unchanged:",
    re.IGNORECASE,
)


_MEMBER = re.compile(
    r"""\s*(["']?)(?:(?P<dots>\.{3,}|…)|[/#]+\w*|[_$]+(?:(?:comments?|notes?|rest|todo)\d*)?|(?P<word>comments?|notes?))\1"""
    r"""\s*:\s*(["'])(?P<words>.*)\4,?\s*"""
)


def as_comment(line: str) -> str:
    """Return a member of JSON that says something about the others as a comment; any other line as it is."""
    found = _MEMBER.fullmatch(line)
    if found is None or (found["word"] and not _ANY_DOT.match(found["words"].strip())):
        return line
    return f"// {'... ' if found['dots'] else ''}{found['words']}"


def is_stand_in(line: str, *, strict: bool = False) -> bool:
    """Return whether a line is dots, also in cells, as an element or a body, or a note that text stays.

    With `strict`, for an edit of some lines, a note must name a rest and end with what becomes of it.
    """
    text = line.strip()
    bare = _MARKS.sub("", _TAG.sub("", text))
    if _ANY_DOT.search(text) and (_ONLY_DOTS.fullmatch(bare) or _BODY.search(_QUOTED.sub("", text))):
        return True
    if len(text) > _LETTERS:
        return False
    text = as_comment(text)
    body = _TRAILER.sub("", _LEADER.sub("", text, count=1)).strip()
    is_note = body != text or _WRAPPED.fullmatch(text) is not None
    if len(body.split()) > _WORDS or not is_note:
        return False
    return bool(_BETWEEN.search(body)) or (_names_a_rest(body) if strict else speaks_of_left_out(body))


def is_sentence_of_rest(line: str) -> bool:
    """Return whether a sentence of a text says that others of it stay as they are."""
    text = line.strip(" \t\r\n*_>[]()")
    is_short = len(text) <= _LETTERS and len(text.split()) <= _WORDS and text[:1].isupper()
    others = re.match(
        r"(?:the |all |your )*(?:rest|remaining|remainder|others?|following|existing|previous)\b",
        text,
        re.IGNORECASE,
    )
    return is_short and others is not None and _STATES.search(text) is not None


def _names_a_rest(words: str) -> bool:
    phrase = words.strip(_AROUND)
    if _IS_STATE.fullmatch(phrase) or _NO_MORE.search(phrase):
        return True
    return bool(_RESTS.search(phrase) and _ENDS.search(phrase))


def speaks_of_left_out(words: str) -> bool:
    """Return whether words say of others that they stay, or that there are more of them."""
    phrase = words.strip(_AROUND)
    if _IS_STATE.fullmatch(phrase) or _NOTHING.search(phrase):
        return True
    return bool(_STATES.search(phrase) and _SUBJECTS.search(phrase))
