"""The browser replay in headless Chromium, used as a person would.

Needs Selenium and Debian's packages chromium and chromium-driver. Where ``AXE_CORE`` names the file ``axe.min.js`` of
axe-core, accessibility is checked with it too.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from canfield_env.render.frames import film
from canfield_env.render.html import render_html
from tests.render.episodes import a_faulty_episode, an_episode

webdriver = pytest.importorskip("selenium.webdriver", reason="Selenium is not installed")
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="chromium and chromedriver are not installed")

FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage --window-size=1300,1000"
)
LEFT, RIGHT, HOME, END = "\ue012", "\ue014", "\ue011", "\ue010"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in FLAGS.split():
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('chromium')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


class Replay:
    """A page in the browser, and what a person sees of it."""

    def __init__(self, driver: Any, path: Path, html: str) -> None:
        path.write_text(html, encoding="utf-8")
        self.driver, self.url = driver, path.as_uri()
        driver.get_log("performance"), driver.get_log("browser")
        driver.get(self.url)

    def find(self, name: str) -> Any:
        return self.driver.find_element("id", name)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    @property
    def move(self) -> int:
        return int(self.find("state").text.split()[1])

    @property
    def faces(self) -> int:
        """How many cards lie face up."""
        return len(self.driver.find_elements("css selector", ".card:not(.down)"))

    def wait(self, condition: str) -> None:
        """Waits until an expression in the page is true."""
        self.driver.set_script_timeout(10)
        self.driver.execute_async_script(
            f"const done = arguments[0]; (function look() {{ if ({condition}) done(); else setTimeout(look, 20); }})();"
        )

    def requests(self) -> set[str]:
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return {
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        }


@pytest.fixture
def replay(browser: Any, tmp_path: Path) -> Replay:
    browser.set_window_size(1300, 1000)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    return Replay(browser, tmp_path / "game.html", render_html(film(an_episode())))


def test_keys_go_through_the_game(replay: Replay):
    assert replay.move == 0
    replay.press(RIGHT, RIGHT, RIGHT)
    assert replay.move == 3
    assert replay.find("said").text == "24 K♥+1:2>4 (Q♠:R>2)"
    replay.press(LEFT)
    assert replay.move == 2
    replay.press(END)
    assert replay.move == 80
    replay.press(RIGHT, HOME, LEFT)
    assert replay.move == 0


def test_buttons_slider_and_list_go_through_the_game(replay: Replay):
    for name, move in (("forward", 1), ("forward", 2), ("back", 1), ("last", 80), ("first", 0)):
        replay.find(name).click()
        assert replay.move == move
    slider = replay.find("slider")
    slider.send_keys(RIGHT, RIGHT)
    assert replay.move == 2
    slider.send_keys(END)
    assert replay.move == 80
    assert slider.get_attribute("aria-valuetext").startswith("move 80, ")
    replay.driver.find_elements("css selector", "#moves button")[10].click()
    assert replay.move == 10
    current = replay.driver.find_elements("css selector", "#moves [aria-current=step]")
    assert [item.text.split()[0] for item in current] == ["10"]


def test_it_plays_by_itself_to_the_end_and_can_be_paused(replay: Replay):
    replay.find("speed").send_keys("very fast")
    replay.driver.execute_script("document.activeElement.blur()")
    replay.press("p")
    replay.wait("Number(document.getElementById('slider').value) >= 3")
    assert replay.find("play").text == "Pause"
    replay.find("play").click()
    stopped = replay.move
    replay.driver.execute_async_script("setTimeout(arguments[0], 400)")
    assert replay.move == stopped
    replay.driver.execute_script("document.querySelectorAll('#moves button')[78].click()")
    replay.press("p")
    replay.wait("document.getElementById('play').textContent === 'Play'")
    assert replay.move == 80


def test_the_switch_shows_all_cards_or_what_the_player_knew(replay: Replay):
    assert replay.faces == 6
    assert "turned" not in replay.find("table-text").get_attribute("textContent")
    replay.find("all").click()
    assert replay.faces == 52
    assert "all cards shown" in replay.find("state").text
    replay.press("v")
    assert replay.faces == 6
    replay.press(RIGHT)
    assert replay.faces == 7


def test_the_cards_stand_where_the_frames_say_whichever_way_they_came(replay: Replay):
    places = "return [...document.querySelectorAll('.card .front')].map(u => u.getAttribute('href') + ' ' +"
    places += " u.parentElement.style.transform).sort()"
    replay.press(*[RIGHT] * 20)
    forward = replay.driver.execute_script(places)
    replay.press(END)
    replay.press(HOME)
    replay.driver.execute_script("document.querySelectorAll('#moves button')[20].click()")
    assert replay.driver.execute_script(places) == forward
    replay.wait("document.getAnimations().length === 0")
    assert len(set(forward)) == 52


def test_no_request_and_no_error(replay: Replay):
    replay.press(RIGHT, END, "v", "p")
    own = {url for url in replay.requests() if url.startswith(("http:", "https:", "ws:"))}
    assert own == set()
    assert replay.driver.get_log("browser") == []


@pytest.mark.parametrize("width", [360, 800, 1300, 2400])
def test_nothing_runs_over_the_edge_at_any_width(replay: Replay, width: int):
    replay.driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    )
    try:
        replay.press(END)
        assert replay.driver.execute_script("return document.documentElement.scrollWidth") <= width
        assert replay.find("table").size["width"] > 0.5 * min(width, 800)
    finally:
        replay.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_light_and_dark_follow_the_system(replay: Replay):
    colours = []
    for scheme in ("light", "dark"):
        feature = {"name": "prefers-color-scheme", "value": scheme}
        replay.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        colours.append(replay.driver.find_element("tag name", "body").value_of_css_property("background-color"))
    assert colours[0] != colours[1]


def test_print_shows_table_and_moves_without_controls(replay: Replay):
    replay.press(RIGHT)
    replay.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert not replay.find("play").is_displayed()
    assert replay.find("table").is_displayed()
    assert replay.find("moves").is_displayed()


def test_a_bad_record_says_so(browser: Any, tmp_path: Path):
    replay = Replay(browser, tmp_path / "bad.html", render_html(film(a_faulty_episode())))
    replay.press(END)
    assert replay.move == 3
    assert "move 4, 12" in browser.find_element("css selector", "[role=alert]").text


@pytest.mark.skipif("AXE_CORE" not in os.environ, reason="AXE_CORE names no axe.min.js")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault(replay: Replay, scheme: str):
    feature = {"name": "prefers-color-scheme", "value": scheme}
    replay.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    replay.press(RIGHT)
    replay.driver.execute_script(Path(os.environ["AXE_CORE"]).read_text(encoding="utf-8"))
    found = replay.driver.execute_async_script("axe.run().then(arguments[0])")
    assert [(violation["id"], violation["nodes"][0]["html"]) for violation in found["violations"]] == []
