#!/usr/bin/env python3
"""Writes what ci/boot compresses, the same bytes every time: a folder, a device's content, a dictionary.

    ci/linux/testdata.py OUT      OUT/corpus/...   OUT/device.bin   OUT/dict.bin
"""

import pathlib
import random
import struct
import sys

WORDS = (
    "allocate block buffer cache checksum compress copy device entry extent file flush frame index inode "
    "journal key level lock map mount node offset page queue range read reference release sector size "
    "snapshot stream super table tree unit update value volume window write zone"
).split()


def prose(rng, size):
    """Sentences: short matches, a skewed alphabet."""
    out = []
    length = 0
    while length < size:
        sentence = " ".join(rng.choices(WORDS, k=rng.randint(4, 14))).capitalize() + ".\n"
        out.append(sentence)
        length += len(sentence)
    return "".join(out).encode()[:size]


def code(rng, size):
    """Text like C: much alike, so long matches at many distances."""
    out = ["/* made by testdata.py */\n#include <stddef.h>\n"]
    length = 0
    while length < size:
        verb, noun = rng.choice(WORDS), rng.choice(WORDS)
        body = (
            f"\nstatic int {verb}_{noun}(struct {noun} *{noun}, size_t size)\n{{\n"
            f"\tif (!{noun} || size > {rng.randrange(1 << 16):#x})\n\t\treturn -EINVAL;\n"
            f"\t{noun}->{verb} = size;\n\treturn {noun}_{rng.choice(WORDS)}({noun}, {rng.randrange(64)});\n}}\n"
        )
        out.append(body)
        length += len(body)
    return "".join(out).encode()[:size]


def records(rng, size):
    """A binary table: fields that hardly change beside some that do."""
    row = struct.Struct("<IHHQ")
    rows = (row.pack(n * 16, 0x1234, rng.randrange(8), 1 << rng.randrange(40)) for n in range(size // row.size))
    return b"".join(rows)


def runs(rng, size):
    """Noise that comes back at once: matches of hundreds of bytes, within a page too."""
    out = bytearray()
    while len(out) < size:
        out += noise(rng, rng.randint(250, 900)) * rng.randint(3, 6)
    return bytes(out[:size])


def noise(rng, size):
    """Nothing to compress."""
    return rng.randbytes(size)


def corpus(rng):
    """Name to bytes."""
    files = {
        "empty": b"",
        "byte": b"z",
        "prose.txt": prose(rng, 1 << 20),
        "code.c": code(rng, 1 << 20),
        "table.bin": records(rng, 768 << 10),
        "zeros": bytes(1 << 20),
        "runs": runs(rng, 512 << 10),
        "noise": noise(rng, 384 << 10),
        # Where one kind of content follows another, within and across btrfs's pieces of 128 KB.
        "mixed": b"".join(
            kind(rng, rng.randrange(1, 50000)) for _ in range(12) for kind in (prose, noise, code, records)
        ),
        # Beyond any window, seen twice: long distances.
        "twice": noise(rng, 100000) * 2 + code(rng, 200000) * 2,
    }
    for n in range(40):
        files[f"small/{n:02}"] = code(rng, rng.randrange(1, 9000))
    return files


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1])
    rng = random.Random(20)
    for name, data in corpus(rng).items():
        path = out / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    # More than half of it must be gone for the test of zram to pass, so there is little noise in it.
    # Pages of zeros are not compressed there: long matches have to be others.
    device = prose(rng, 3 << 20) + code(rng, 2 << 20) + records(rng, 1 << 20) + runs(rng, 1 << 20)
    device += noise(rng, 256 << 10) + bytes(256 << 10)
    (out / "device.bin").write_bytes(device[: len(device) // 4096 * 4096])
    (out / "dict.bin").write_bytes(prose(rng, 24 << 10) + code(rng, 24 << 10))


if __name__ == "__main__":
    main()
