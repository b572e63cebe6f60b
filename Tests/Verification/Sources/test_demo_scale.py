"""The window of settle-demo on displays of other scales, and small ones."""
import json
import subprocess

from PIL import Image

from desktop import Desktop, distance, start_weston
from results import planted, verify
from support import DEMO, PATIENCE

BACKGROUND = (0x12, 0x16, 0x1C)


def shown(desktop, *options):
    """The report of a window that is shown for two seconds, and its picture."""
    shot = desktop.folder / "shot.png"
    run = subprocess.run([DEMO, "--seconds", "2", "--report", "--force", "--screenshot", shot, *options], env=desktop.environment,
                         capture_output=True, text=True, check=True, timeout=PATIENCE)
    return json.loads(run.stdout), Image.open(shot).convert("RGB")


def title(picture, scale):
    """The box of the title in the strip at the top, without the button at its right."""
    strip = picture.crop((int(8 * scale), 2, picture.width // 2, int(40 * scale)))
    return distance(strip, BACKGROUND).point(lambda value: 255 * (value > 60)).getbbox()


def scale_problem(report, picture, example, scale, size):
    """Why a window is not its example of the scale 1, so much larger."""
    expected = "x".join(str(int(side * scale)) for side in size)
    if (report["window"], report["scale"]) != (expected, scale):
        return f"{report['window']} with the scale {report['scale']}, not {expected}"
    box, right = title(picture, scale), title(example, 1)
    far = [round(one - scale * other) for one, other in zip(box, right)]
    return None if max(map(abs, far)) <= 3 * scale else f"the title is at {box}, not {scale} × {right}"


def edge_problem(picture, margin=4):
    """Why something is drawn beyond the margin at the right, such as a text that does not fit."""
    strip = picture.crop((picture.width - margin, 1, picture.width - 1, picture.height - 1))
    return None if distance(strip, BACKGROUND).getbbox() is None else "something is drawn up to the right edge"


def test_scales(folder):
    size = (1000, 500)
    option = ["--size", "{}x{}".format(*size)]
    with Desktop(folder, None, ("Xvfb", "-screen", "0", "2700x1500x24")) as desktop:
        report, example = shown(desktop, "--x11", *option)
        verify("x11: a display without a scale", scale_problem(report, example, example, 1, size))
        for small in ("320x200", "480x270", "700x420", "781x401", "960x480"):
            verify(f"x11: what {small} shows fits", edge_problem(shown(desktop, "--x11", "--size", small)[1]))
        planted("a text that is cut", edge_problem(example.crop((0, 0, 100, example.height))))
        for dpi, scale in ((192, 2), (144, 1.5)):
            subprocess.run(["xrdb", "-merge"], input=f"Xft.dpi:\t{dpi}\n", text=True, env=desktop.environment, check=True)
            verify(f"x11: Xft.dpi {dpi} is the scale {scale}", scale_problem(*shown(desktop, "--x11", *option), example, scale, size))
        planted("a window of another scale", scale_problem(report, example, example, 2, size))
        for scale in (1, 2):
            weston = start_weston(desktop, folder, "--backend=x11-backend.so", "--width=1300", "--height=700", f"--scale={scale}")
            verify(f"wayland: a screen with the scale {scale}", scale_problem(*shown(desktop, "--wayland", *option), example, scale, size))
            weston.terminate()
            weston.wait(PATIENCE)
            (folder / "wayland-test").unlink(missing_ok=True)
