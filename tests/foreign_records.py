"""What somebody may put where a record of ours is expected. Not here: what is expected to be said of it."""

FOREIGN = {
    "no JSON": b"dear all, please find attached",
    "cut JSON": b'{"about": "x", "rea',
    "no text": b"\xff\xfe\x00",
    "nothing": b"",
    "a list": b"[1, 2]",
    "a number": b"7",
    "an empty object": b"{}",
    "other keys": b'{"kind": "PodList", "items": []}',
    "other kinds": b'{"about": 1, "reason": [], "dropped_at": 3, "key": null, "size": "x", "before": 1, "leaves": {}}',
    "no end": b"[" * 100_000,
}
