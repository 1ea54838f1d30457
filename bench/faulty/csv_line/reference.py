"""Reads one line of comma separated values with double-quoted fields."""


class CsvError(ValueError):
    """The line breaks the rules of the format."""


def parse_line(line, delimiter=","):
    fields = []
    current = []
    quoted = False
    skip = False
    for index, char in enumerate(line):
        if skip:
            skip = False
            continue
        if quoted:
            if char == '"':
                if line[index + 1 : index + 2] == '"':
                    current.append('"')
                    skip = True
                    continue
                quoted = False
            else:
                current.append(char)
        elif char == '"':
            if current:
                raise CsvError(f"quote inside a bare field at column {index}")
            quoted = True
        elif char == delimiter:
            fields.append("".join(current))
            current = []
        else:
            current.append(char)
    if quoted:
        raise CsvError("quoted field is never closed")
    fields.append("".join(current))
    return fields


def format_line(fields, delimiter=","):
    out = []
    for field in fields:
        if delimiter in field or '"' in field:
            field = '"' + field.replace('"', '""') + '"'
        out.append(field)
    return delimiter.join(out)
