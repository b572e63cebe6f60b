"""Chromium by its driver, both Debian's. Each harness adds what its pages are asked."""
import os

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains


class Chromium:
    """Use it in `with`. Without a window, unless a desktop's environment is given."""

    def __init__(self, *words, environment=None, logs=("browser",)):
        options = webdriver.ChromeOptions()
        # Given the paths, selenium does not ask the network for others.
        options.binary_location = "/usr/bin/chromium"
        for word in (*([] if environment else ["headless=new"]), *["no-sandbox"] * (os.geteuid() == 0), "disable-gpu", "disable-dev-shm-usage", *words):
            options.add_argument(f"--{word}")
        options.set_capability("goog:loggingPrefs", dict.fromkeys(logs, "ALL"))
        options.set_capability("unhandledPromptBehavior", "ignore")
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver", env=environment), options=options)
        self.cdp = self.driver.execute_cdp_cmd
        self.driver.set_script_timeout(120)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def open(self, address):
        self.driver.get(address)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, script, *arguments):
        """What a script gives to the function that is its last argument."""
        return self.driver.execute_async_script(script, *arguments)

    def press(self, keys):
        ActionChains(self.driver).send_keys(keys).perform()

    def mouse(self, kind, x, y, **more):
        self.cdp("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})

    def touch(self, kind, *points):
        self.cdp("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]})

    def before_pages(self, script):
        """Runs a script at the begin of each page, until the function that this returns is called."""
        added = self.cdp("Page.addScriptToEvaluateOnNewDocument", {"source": script})
        return lambda: self.cdp("Page.removeScriptToEvaluateOnNewDocument", added)

    def console(self, *levels):
        """Errors and warnings of the console, uncaught exceptions included, or those of other levels."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in (levels or ("SEVERE", "WARNING"))]
