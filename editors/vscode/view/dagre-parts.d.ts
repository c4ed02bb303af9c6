// Parts of dagre that its own declarations leave out: the layout in steps is made of them.

declare module "@dagrejs/dagre/lib/*" {
  import type { graphlib } from "@dagrejs/dagre";

  type Graph = graphlib.Graph;
  type Layers = string[][];
  type Places = Record<string, number>;

  interface Parts {
    // acyclic, nesting-graph, normalize, coordinate-system
    run(graph: Graph): void;
    undo(graph: Graph): void;
    cleanup(graph: Graph): void;
    adjust(graph: Graph): void;
    // util
    asNonCompoundGraph(graph: Graph): Graph;
    addDummyNode(graph: Graph, kind: string, label: object, prefix: string): string;
    buildLayerMatrix(graph: Graph): Layers;
    intersectRect(box: object, point: object): { x: number; y: number };
    maxRank(graph: Graph): number;
    normalizeRanks(graph: Graph): void;
    removeEmptyRanks(graph: Graph): void;
    simplify(graph: Graph): Graph;
    // position/bk
    findType1Conflicts(graph: Graph, layers: Layers): object;
    findType2Conflicts(graph: Graph, layers: Layers): object;
    verticalAlignment(
      graph: Graph,
      layers: Layers,
      conflicts: object,
      neighbours: (id: string) => string[] | undefined,
    ): { root: object; align: object };
    horizontalCompaction(graph: Graph, layers: Layers, root: object, align: object, back: boolean): Places;
    findSmallestWidthAlignment(graph: Graph, all: Record<string, Places>): Places;
    alignCoordinates(all: Record<string, Places>, to: Places): void;
    balance(all: Record<string, Places>, align: string | undefined): Places;
  }
  const parts: Parts;
  export default parts;
}

declare module "@dagrejs/dagre/lib/rank/index.js" {
  import type { graphlib } from "@dagrejs/dagre";

  export default function rank(graph: graphlib.Graph): void;
}

declare module "@dagrejs/dagre/lib/rank/util.js" {
  import type { graphlib } from "@dagrejs/dagre";

  export function longestPath(graph: graphlib.Graph): void;
}

declare module "@dagrejs/dagre/lib/rank/feasible-tree.js" {
  import type { graphlib } from "@dagrejs/dagre";

  /** An undirected tree over all nodes. */
  export default function feasibleTree(graph: graphlib.Graph): graphlib.Graph;
}

declare module "@dagrejs/dagre/lib/rank/network-simplex.js" {
  import type { Edge, graphlib } from "@dagrejs/dagre";

  type Graph = graphlib.Graph;

  const simplex: {
    initLowLimValues(tree: Graph): void;
    initCutValues(tree: Graph, graph: Graph): void;
    leaveEdge(tree: Graph): Edge | undefined;
    enterEdge(tree: Graph, graph: Graph, leaves: Edge): Edge;
    exchangeEdges(tree: Graph, graph: Graph, leaves: Edge, enters: Edge): void;
  };
  export default simplex;
}

declare module "@dagrejs/dagre/lib/order/*" {
  import type { graphlib } from "@dagrejs/dagre";

  type Graph = graphlib.Graph;

  // init-order (one graph), cross-count (and layers), build-layer-graph (and a rank, a side, nodes), sort-subgraph (and
  // a root, constraints, a side), add-subgraph-constraints (and constraints, nodes).
  export default function part<T>(graph: Graph, ...more: unknown[]): T;
}
