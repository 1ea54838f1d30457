import asyncio


class Crawler:
    """Visits the pages reachable from a start page, a few at a time.

    `fetch` is a coroutine function from a page to the links on it; it may
    raise LookupError for a page that does not exist.
    """

    def __init__(self, fetch, limit=3):
        self.fetch = fetch
        self.gate = asyncio.Semaphore(limit)
        self.depth = {}
        self.broken = []

    async def visit(self, page):
        async with self.gate:
            try:
                return await self.fetch(page)
            except LookupError:
                self.broken.append(page)
                return []

    async def crawl(self, start, max_depth=10):
        self.depth[start] = 0
        level = [start]
        for depth in range(1, max_depth + 1):
            answers = await asyncio.gather(*(self.visit(page) for page in level))
            level = []
            for links in answers:
                for link in links:
                    if link not in self.depth:
                        self.depth[link] = depth
                        level.append(link)
            if not level:
                break
        return self.depth


def reachable(site, start, max_depth=10):
    """Return the pages of an in-memory site with their distance from start."""

    async def fetch(page):
        await asyncio.sleep(0)
        return site[page]

    return asyncio.run(Crawler(fetch).crawl(start, max_depth))
