from program import checksum, is_valid, mask, with_check_digit


def test_rejects_text():
    assert not is_valid("12a4")
    assert not is_valid("0")


def test_valid():
    assert is_valid("4539 1488 0343 6467")


def test_invalid():
    assert not is_valid("8273 1232 7352 0569")


def test_checksum():
    assert checksum("18") == 0
    assert checksum("79927398713") == 0


def test_check_digit():
    assert with_check_digit("7992739871") == "79927398713"


def test_mask():
    assert mask("12345678") == "****5678"
