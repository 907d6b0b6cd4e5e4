# In:  the rows of the suite.
# Out: data/SUITE/raw/DATASET (bytes as published), data/SUITE/DATASET.npz (contexts and labels).
# Steps: fetch, encode.


rule fetch:
    input:
        script=script("fetch.py"),
        source=lambda wildcards: module_sources(SOURCES[ROWS[wildcards.dataset].source]),
        file=local_file,
    output:
        f"data/{SUITE}/raw/{{dataset}}",
    log:
        f"logs/{SUITE}/fetch/{{dataset}}.log",
    benchmark:
        f"logs/{SUITE}/fetch/{{dataset}}.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: megabytes(ROWS[wildcards.dataset])
        * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        row=lambda wildcards: ROWS[wildcards.dataset].to_json(),
        folder=str(SUITE_FILE.parent),
        cache="data/archives",
    message:
        "Fetching {wildcards.dataset}"
    shell:
        "python {input.script[0]} --row {params.row:q} --folder {params.folder:q} --cache {params.cache:q}"
        " --output {output:q} > {log:q} 2>&1"


rule encode:
    input:
        script=script("encode.py"),
        source=lambda wildcards: module_sources(SOURCES[ROWS[wildcards.dataset].source]),
        raw=rules.fetch.output,
    output:
        f"data/{SUITE}/{{dataset}}.npz",
    log:
        f"logs/{SUITE}/encode/{{dataset}}.log",
    benchmark:
        f"logs/{SUITE}/encode/{{dataset}}.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: megabytes(ROWS[wildcards.dataset])
        * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        row=lambda wildcards: ROWS[wildcards.dataset].to_json(),
        max_levels=config["max_levels"],
    message:
        "Encoding {wildcards.dataset}"
    shell:
        "python {input.script[0]} --row {params.row:q} --raw {input.raw:q} --max-levels {params.max_levels}"
        " --output {output:q} > {log:q} 2>&1"
