import asyncio

import pytest
from program import Crawler, reachable


class Site:
    def __init__(self, links):
        self.links = links
        self.visits = []
        self.busy = 0
        self.most_busy = 0

    async def fetch(self, page):
        self.visits.append(page)
        self.busy += 1
        self.most_busy = max(self.most_busy, self.busy)
        await asyncio.sleep(0)
        self.busy -= 1
        return self.links[page]


def run(site, start, limit=3, max_depth=10):
    async def main():
        crawler = Crawler(site.fetch, limit)
        await crawler.crawl(start, max_depth)
        return crawler

    return asyncio.run(main())


def test_each_page_is_fetched_once():
    site = Site({"a": ["b", "c", "a"], "b": ["c", "a"], "c": ["b", "d", "d"], "d": ["a"]})
    assert run(site, "a").depth == {"a": 0, "b": 1, "c": 1, "d": 2}
    assert sorted(site.visits) == ["a", "b", "c", "d"]


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_limit(limit):
    site = Site({0: list(range(1, 9)), **{n: [] for n in range(1, 9)}})
    run(site, 0, limit)
    assert site.most_busy == limit


def test_max_depth():
    chain = {n: [n + 1] for n in range(20)}
    assert reachable(chain, 0, max_depth=4) == {n: n for n in range(5)}
    assert reachable(chain, 0) == {n: n for n in range(11)}


def test_defaults_of_the_crawler():
    async def main():
        site = Site({n: [n + 1, *range(100, 110)] for n in range(20)} | {n: [] for n in range(100, 110)})
        found = await Crawler(site.fetch).crawl(0)
        return max(found.values()), site.most_busy

    assert asyncio.run(main()) == (10, 3)


def test_shortest_depth_wins():
    assert reachable({"s": ["x", "t"], "x": ["t"], "t": []}, "s")["t"] == 1


def test_loop_to_itself():
    assert reachable({"s": ["s"]}, "s") == {"s": 0}


def test_broken_pages():
    crawler = run(Site({"a": ["x", "b"], "b": ["y"]}), "a")
    assert crawler.broken == ["x", "y"]
    assert crawler.depth == {"a": 0, "x": 1, "b": 1, "y": 2}


def test_broken_start():
    crawler = run(Site({}), "nowhere")
    assert crawler.broken == ["nowhere"]
    assert crawler.depth == {"nowhere": 0}


def test_other_errors_are_passed_on():
    async def fetch(page):
        raise ValueError(page)

    with pytest.raises(ValueError):
        asyncio.run(Crawler(fetch).crawl("a"))
