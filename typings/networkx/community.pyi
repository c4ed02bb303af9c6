from networkx import Graph

def louvain_communities(
    G: Graph,  # noqa: N803
    weight: str = ...,
    *,
    seed: int,
) -> list[set[str]]: ...
