import asyncio

from program import Crawler, reachable

SITE = {"home": ["docs", "blog"], "docs": ["api", "home"], "blog": ["post"], "api": [], "post": ["home"]}


def test_depth_zero():
    assert reachable(SITE, "home", max_depth=0) == {"home": 0}


def test_all_pages():
    assert reachable(SITE, "home") == {"home": 0, "docs": 1, "blog": 1, "api": 2, "post": 2}


def test_dead_end():
    assert reachable(SITE, "api") == {"api": 0}


def test_broken_link():
    async def fetch(page):
        return {"a": ["b", "c"], "c": []}[page]

    async def main():
        crawler = Crawler(fetch)
        found = await crawler.crawl("a")
        return found, crawler.broken

    assert asyncio.run(main()) == ({"a": 0, "b": 1, "c": 1}, ["b"])
