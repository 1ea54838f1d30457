def normalise(phrase):
    return [letter.lower() for letter in phrase if letter.isalnum()]


def is_palindrome(phrase):
    letters = normalise(phrase)
    return letters == letters[::-1]


def longest_palindrome(text):
    """Return the longest palindromic slice of text, the leftmost of equals."""
    best = ""
    for centre in range(len(text)):
        for width in (1, 2):
            low, high = centre, centre + width - 1
            while low >= 0 and high < len(text) and text[low] == text[high]:
                low -= 1
                high += 1
            if high - low - 1 > len(best):
                best = text[low + 1 : high]
    return best


def pairs(words):
    """Return the ordered pairs of words that make a palindrome together."""
    return [(a, b) for a in words for b in words if a != b and is_palindrome(a + b)]
