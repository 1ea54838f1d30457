"""Decoding of URL query strings without urllib."""

HEX = set("0123456789abcdefABCDEF")


def percent_decode(text):
    """Decode %XX and plus signs; a percent sign without two digits stays as it is."""
    out = bytearray()
    i = 0
    while i < len(text):
        if text[i] == "+":
            out += b" "
            i += 1
        elif text[i] == "%" and len(text[i + 1 : i + 3]) == 2 and set(text[i + 1 : i + 3]) <= HEX:
            digits = text[i + 1 : i + 3]
            out.append(int(digits, 16))
            i += 3
        else:
            out += text[i].encode()
            i += 1
    return out.decode("utf-8", "replace")


def parse_query(query):
    """Return each name with the list of its values, in order."""
    values = {}
    for pair in query.lstrip("?").split("&"):
        if not pair:
            continue
        name, _, value = pair.partition("=")
        values.setdefault(percent_decode(name), []).append(percent_decode(value))
    return values
