# What of networkx is used here: undirected graphs of names with weights.
from collections.abc import Iterable

from networkx import community as community

class Graph:
    def add_nodes_from(self, nodes_for_adding: Iterable[str]) -> None: ...
    def add_edge(self, u_of_edge: str, v_of_edge: str, *, weight: float) -> None: ...
