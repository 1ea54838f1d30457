class Node:
    __slots__ = ("children", "terminal")

    def __init__(self):
        self.children = {}
        self.terminal = False


class Trie:
    def __init__(self, words=()):
        self.root = Node()
        for word in words:
            self.add(word)

    def add(self, word):
        node = self.root
        for letter in word:
            node = node.children.setdefault(letter, Node())
        node.terminal = True

    def _walk(self, prefix):
        node = self.root
        for letter in prefix:
            node = node.children.get(letter)
            if node is None:
                return None
        return node

    def __contains__(self, word):
        node = self._walk(word)
        return node is not None and node.terminal

    def remove(self, word):
        """Forget a word, and the nodes that no other word needs."""
        if word not in self:
            raise KeyError(word)
        path = [self.root]
        for letter in word:
            path.append(path[-1].children[letter])
        path[-1].terminal = False
        for depth in range(len(word), 0, -1):
            node = path[depth]
            if node.terminal or node.children:
                break
            del path[depth - 1].children[word[depth - 1]]

    def starting_with(self, prefix):
        node = self._walk(prefix)
        if node is None:
            return []
        found, stack = [], [(prefix, node)]
        while stack:
            text, node = stack.pop()
            if node.terminal:
                found.append(text)
            stack.extend((text + letter, child) for letter, child in node.children.items())
        return sorted(found)
