"""The least load of the hottest link, by linear programming.

Reads cases from a JSON file and prints one number per case. A case has the number of nodes, its links as pairs of
nodes, and demands as [source, destination, bytes]. Every demand may be split among all paths of fewest hops.
Needs scipy with HiGHS.
"""
import json
import sys

import numpy
from scipy.optimize import linprog
from scipy.sparse import coo_matrix


def hops_from(source, nodes, out):
    hops = [None] * nodes
    hops[source] = 0
    order = [source]
    for node in order:
        for _, end in out[node]:
            if hops[end] is None:
                hops[end] = hops[node] + 1
                order.append(end)
    return hops


def least_congestion(case):
    nodes, links = case["nodes"], case["links"]
    out = [[] for _ in range(nodes)]
    for link, (start, end) in enumerate(links):
        out[start].append((link, end))
    rows, columns, values, right = [], [], [], []
    loads = [[] for _ in links]  # variables that load a link
    variables = 1  # variable 0 is the load of the hottest link
    row = 0
    total = sum(bytes_ for _, _, bytes_ in case["demands"])
    for source in sorted({demand[0] for demand in case["demands"]}):
        hops = hops_from(source, nodes, out)
        wanted = [0.0] * nodes
        for start, end, bytes_ in case["demands"]:
            if start == source:
                wanted[end] += bytes_ / total
        for link, (start, end) in enumerate(links):
            if hops[start] + 1 != hops[end]:
                continue
            loads[link].append(variables)
            for node, sign in ((end, 1), (start, -1)):
                if node != source:
                    rows.append(row + node)
                    columns.append(variables)
                    values.append(sign)
            variables += 1
        right += wanted
        right[row + source] = 0
        row += nodes
    flow = coo_matrix((values, (rows, columns)), shape=(row, variables))
    rows, columns, values = [], [], []
    for link, by in enumerate(loads):
        rows += [link] * (len(by) + 1)
        columns += [0] + by
        values += [-1] + [1] * len(by)
    load = coo_matrix((values, (rows, columns)), shape=(len(links), variables))
    cost = numpy.zeros(variables)
    cost[0] = 1
    found = linprog(cost, A_ub=load, b_ub=numpy.zeros(len(links)), A_eq=flow, b_eq=right, method="highs")
    assert found.status == 0, found.message
    return found.fun * total


with open(sys.argv[1]) as file:
    for one in json.load(file):
        print(repr(float(least_congestion(one))))
