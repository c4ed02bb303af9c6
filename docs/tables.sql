CREATE TABLE nodes (
  "id" TEXT NOT NULL PRIMARY KEY,
  "kind" TEXT NOT NULL,
  "subkind" TEXT,
  "name" TEXT NOT NULL,
  "qualified_name" TEXT NOT NULL,
  "module" TEXT,
  "package" TEXT,
  "language" TEXT,
  "file" TEXT,
  "start_line" BIGINT,
  "start_column" BIGINT,
  "end_line" BIGINT,
  "end_column" BIGINT,
  "full_start_line" BIGINT,
  "full_start_column" BIGINT,
  "full_end_line" BIGINT,
  "full_end_column" BIGINT,
  "signature" TEXT,
  "doc" TEXT,
  "visibility" TEXT,
  "exported" BOOLEAN NOT NULL,
  "modifiers" TEXT NOT NULL,
  "provenance" TEXT NOT NULL,
  "confidence" DOUBLE NOT NULL,
  "content_hash" TEXT,
  "attributes" TEXT NOT NULL,
  "extra" TEXT
);
CREATE TABLE decorators (
  "node" TEXT NOT NULL,
  "place" BIGINT NOT NULL,
  "name" TEXT NOT NULL,
  "arguments" TEXT NOT NULL,
  "extra" TEXT
);
CREATE TABLE edges (
  "id" TEXT NOT NULL PRIMARY KEY,
  "kind" TEXT NOT NULL,
  "source" TEXT NOT NULL,
  "target" TEXT NOT NULL,
  "provenance" TEXT NOT NULL,
  "resolution" TEXT,
  "confidence" DOUBLE NOT NULL,
  "ambiguous" BOOLEAN NOT NULL,
  "site_count" BIGINT NOT NULL,
  "attributes" TEXT NOT NULL,
  "extra" TEXT
);
CREATE TABLE sites (
  "edge" TEXT NOT NULL,
  "place" BIGINT NOT NULL,
  "file" TEXT NOT NULL,
  "start_line" BIGINT NOT NULL,
  "start_column" BIGINT NOT NULL,
  "end_line" BIGINT NOT NULL,
  "end_column" BIGINT NOT NULL,
  "provenance" TEXT,
  "resolution" TEXT,
  "confidence" DOUBLE,
  "extra" TEXT
);
CREATE TABLE header (
  "schema_version" TEXT NOT NULL,
  "generator" TEXT NOT NULL,
  "mode" TEXT NOT NULL,
  "snapshot" TEXT NOT NULL,
  "revision" BIGINT,
  "workspace" TEXT NOT NULL,
  "root" TEXT NOT NULL,
  "path_mode" TEXT NOT NULL,
  "position" TEXT NOT NULL,
  "languages" TEXT NOT NULL,
  "providers" TEXT NOT NULL,
  "libraries" TEXT NOT NULL,
  "dirty" TEXT NOT NULL,
  "degraded" BOOLEAN NOT NULL,
  "problems" TEXT NOT NULL,
  "counts" TEXT NOT NULL,
  "verification" TEXT,
  "extra" TEXT
);
CREATE TABLE others (
  "record" TEXT NOT NULL
);
CREATE INDEX nodes_by_qualified_name ON nodes (qualified_name);
CREATE INDEX nodes_by_name ON nodes (name);
CREATE INDEX nodes_by_file ON nodes (file);
CREATE INDEX nodes_by_kind ON nodes (kind);
CREATE INDEX edges_by_source_kind ON edges (source, kind);
CREATE INDEX edges_by_target_kind ON edges (target, kind);
CREATE INDEX sites_by_edge ON sites (edge);
CREATE INDEX sites_by_file ON sites (file);
CREATE INDEX decorators_by_node ON decorators (node);
