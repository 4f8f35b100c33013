"""Results of a long benchmark in one file beside its page, so that another machine goes on.

One line a unit: its name, a digest of the settings that it depends on, the processor it ran on and
its result. A line counts only for the same settings.
"""

import hashlib
import json
import os


class Kept:
    """A file of results, which may be missing.

    Args:
        path: The file, JSON lines.
    """

    def __init__(self, path):
        self.path, self._lines = path, {}
        if path.is_file():
            for text in path.read_text().splitlines():
                line = json.loads(text)
                self._lines[line["unit"]] = line

    def read(self, name, settings):
        """Return the line of a unit, or None."""
        line = self._lines.get(name)
        return line if line and line["settings"] == digest(settings) else None

    def write(self, lines):
        """Replace the file by these lines, dicts of unit, settings, processor and result."""
        ready = [{**line, "settings": digest(line["settings"])} for line in lines]
        self._lines = {line["unit"]: line for line in ready}
        aside = self.path.with_suffix(f".{os.getpid()}.part")
        aside.write_text("".join(f"{json.dumps(line)}\n" for line in ready))
        aside.replace(self.path)


def digest(settings):
    """Return the SHA-256 of settings as JSON, which may be a digest already."""
    if isinstance(settings, str):
        return settings
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()
