#!/usr/bin/env python3
"""make_start.py [SEED] > start.gro
500 SPC/E waters at 0.998 g/cm3: the 500 sites of a cell of 5 x 5 x 5 face-centred cubes, each water turned at random. The hydrogens of
neighbours are kept apart by trying orientations until none comes within 0.18 nm of another molecule's atom."""
import math
import random
import sys

random.seed(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
cells, bond, half_angle = 5, 0.1, math.radians(109.47 / 2)
volume = 500 * (15.9994 + 2 * 1.008) * 1.66053907e-3 / 0.998  # nm^3
edge = volume ** (1 / 3)
a = edge / cells


def random_rotation():
    """A uniform unit quaternion as a function on vectors."""
    u, v, w = random.random(), 2 * math.pi * random.random(), 2 * math.pi * random.random()
    x, y = math.sqrt(1 - u) * math.sin(v), math.sqrt(1 - u) * math.cos(v)
    z, s = math.sqrt(u) * math.sin(w), math.sqrt(u) * math.cos(w)

    def turn(p):
        px, py, pz = p
        return (
            (1 - 2 * (y * y + z * z)) * px + 2 * (x * y - s * z) * py + 2 * (x * z + s * y) * pz,
            2 * (x * y + s * z) * px + (1 - 2 * (x * x + z * z)) * py + 2 * (y * z - s * x) * pz,
            2 * (x * z - s * y) * px + 2 * (y * z + s * x) * py + (1 - 2 * (x * x + y * y)) * pz,
        )

    return turn


def apart(p, q):
    return math.sqrt(sum((d - edge * round(d / edge)) ** 2 for d in (i - j for i, j in zip(p, q))))


sites = [
    ((i + b[0]) * a, (j + b[1]) * a, (k + b[2]) * a)
    for i in range(cells)
    for j in range(cells)
    for k in range(cells)
    for b in ((0.25, 0.25, 0.25), (0.75, 0.75, 0.25), (0.75, 0.25, 0.75), (0.25, 0.75, 0.75))
]
shape = [(math.cos(half_angle) * bond, sign * math.sin(half_angle) * bond, 0.0) for sign in (1, -1)]
hydrogens = []
for here, o in enumerate(sites):
    near = [m for m, other in enumerate(sites) if m != here and apart(o, other) < 0.45]
    best = None
    for _ in range(200):
        turn = random_rotation()
        trial = [tuple(c + d for c, d in zip(o, turn(p))) for p in shape]
        others = [sites[m] for m in near] + [h for m in near if m < here for h in hydrogens[m]]
        least = min(apart(h, q) for h in trial for q in others)
        if best is None or least > best[0]:
            best = (least, trial)
        if least > 0.18:
            break
    hydrogens.append(best[1])

print("500 SPC/E waters, made by make_start.py")
print(3 * len(sites))
number = 0
for molecule, (o, pair) in enumerate(zip(sites, hydrogens)):
    for name, x in zip(("OW", "HW1", "HW2"), [o] + pair):
        number += 1
        print("%5d%-5s%5s%5d%8.3f%8.3f%8.3f" % (molecule + 1, "SOL", name, number, *x))
print("%10.5f%10.5f%10.5f" % (edge, edge, edge))
