"""Knows the words that say, in many languages, that the rest of a file stays as it is.

They are ordinary words, so they count only in a comment of a whole file that keeps little of the old one.
"""

from __future__ import annotations

import re

_WORDS = (
    # English
    r"rest|remainder|remain(?:s|ing)?|others?|more|same"
    r"|identical|unchanged|unmodified|untouched|omitted|existing"
    r"|original|previous(?:ly)?|alone|below|above|elided"
    r"|skipped|as (?:before|is|it is)|no (?:\w+ )?changes?"
    r"|not? chang(?:e|ed)|stays?|continues?"
    # German
    r"|restlich\w*|übrig\w*|weitere\w*|andere[nrsm]?|gleich\w*"
    r"|unverändert\w*|gehabt|bisher\w*|wie (?:vorher|zuvor)"
    r"|bleib(?:t|en)|keine änderung\w*|oben|unten|ausgelassen|weggelassen|identisch\w*"
    # French
    r"|reste|restant\w*|autres?|inchangée?s?|identiques?"
    r"|même|omise?s?|existant\w*|plus bas|ci-des(?:sus|sous)"
    # Spanish, Portuguese
    r"|resto|restante\w*|demás|otr[oa]s?|outr[oa]s?|igual(?:es)?|iguais|mism[oa]s?|mesm[oa]s?|sin cambios"
    r"|sem (?:alterações|mudanças)|inalterad[oa]s?|idéntic[oa]s?"
    r"|idêntic[oa]s?|omitid[oa]s?|arriba|abajo|acima|abaixo"
    # Italian
    r"|rimanent\w*|altr[eio]|altra|invariat\w*|stess[oaie]"
    r"|ugual[ei]|identic[oaih]\w*|omess[oaie]|sopra|sotto"
    # Dutch
    r"|overige\w*|andere|hetzelfde|dezelfde|ongewijzigd\w*"
    r"|blijft|blijven|weggelaten|hierboven|hieronder|identiek\w*"
    # Swedish
    r"|resten|övrig\w*|återstående|andra|samma|oförändra\w*|likadan\w*|identisk\w*|utelämna\w*|ovan|nedan"
    # Polish
    r"|reszta|reszty|resztę|pozostał\w*|inne|innych|bez zmian"
    r"|niezmienion\w*|takie? sam\w*|tak samo|identyczn\w*"
    r"|pominięt\w*|powyżej|poniżej"
    # Russian
    r"|остальн\w*|остаток|проч(?:ие|ее|их)|друг(?:ие|их|ой)"
    r"|без изменений|не (?:из)?мен\w*|неизменн\w*|так(?:ой|ие|ая)? же"
    r"|то же(?: самое)?|тот же|идентичн\w*|опущен\w*|выше|ниже"
    # Turkish
    r"|kalan\w*|geri kalan\w*|diğer\w*|aynı\w*"
    r"|değiş(?:medi|meden|miyor|memiş|iklik yok)\w*|yukarıda\w*|aşağıda\w*"
)
_SPACED = re.compile(rf"\b(?:{_WORDS})\b", re.IGNORECASE)
_UNSPACED = re.compile(
    # Korean, Japanese, Chinese
    r"나머지|동일|그대로|변경 ?없|생략|기타|위와 같|이하|残り"
    r"|その他|同じ|同様|そのまま|変更なし|変わらず|省略|以下|以上|上記"
    r"|其余|其他|剩余|其餘|剩餘|不变|不變|相同|一样|一樣|同上|未更改|没有变化|无变化|保持|如上|如下|略"
)


def speaks_of_rest(words: str) -> bool:
    """Return whether the words of a comment speak of a rest, or of something that stays the same."""
    return bool(_SPACED.search(words) or _UNSPACED.search(words))
