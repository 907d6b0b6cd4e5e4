# In:  the tables of results/SUITE and results/synthetic, the figures, logs/SUITE/timing.csv.
# Out: results/SUITE/scorecard.csv (every claim of the paper with a verdict), scorecard.md (how many have which), results/SUITE/report.html (one page).
# Steps: judge, put on a page.


rule scorecard:
    input:
        script=script("scorecard.py"),
        table1="results/synthetic/table1.csv",
        rates="results/synthetic/rates.csv",
        orderings="results/synthetic/orderings.csv",
        sooner="results/synthetic/sooner.csv",
        claims=f"{RESULTS}/claims.csv",
        table2=rules.table2.output.csv,
    output:
        csv=f"{RESULTS}/scorecard.csv",
        markdown=f"{RESULTS}/scorecard.md",
    log:
        f"logs/{SUITE}/scorecard.log",
    benchmark:
        f"logs/{SUITE}/scorecard.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: 500 * attempt,
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        suite=SUITE,
    message:
        "Holding the paper's claims against the results"
    shell:
        "python {input.script[0]} --table1 {input.table1:q} --rates {input.rates:q} --orderings {input.orderings:q}"
        " --sooner {input.sooner:q} --claims {input.claims:q} --table2 {input.table2:q} --suite {params.suite:q}"
        " --csv {output.csv:q} --markdown {output.markdown:q} > {log:q} 2>&1"


# Not `report`, which is a function of Snakemake's.
rule page:
    input:
        script=script("report.py"),
        templates=[
            str(HOME / "workflow/report" / name)
            for name in ("page.html", "page.css", "explorer.js")
        ],
        captions=sorted({of["caption"] for of in page_drawings()}),
        drawings=[of["file"] for of in page_drawings()],
        scorecard=rules.scorecard.output.csv,
        claims=f"{RESULTS}/claims.csv",
        table1="results/synthetic/table1.csv",
        table2=rules.table2.output.csv,
        datasets=f"{RESULTS}/datasets.csv",
        pairs=f"{RESULTS}/pairs.csv",
        runs=f"{RESULTS}/classification.parquet",
        timing=f"logs/{SUITE}/timing.csv",
        record=f"{RESULTS}/run.json",
    output:
        f"{RESULTS}/report.html",
    log:
        f"logs/{SUITE}/page.log",
    benchmark:
        f"logs/{SUITE}/page.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: (1000 + 5 * len(ROWS)) * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        suite=SUITE,
        bandits=BANDITS,
        drawings=json.dumps(page_drawings() + atlas_drawing()),
        folder=lambda wildcards, input: str(Path(input.templates[0]).parent),
    message:
        "Putting all on one page"
    shell:
        "python {input.script[0]} --scorecard {input.scorecard:q} --claims {input.claims:q} --table1 {input.table1:q}"
        " --table2 {input.table2:q} --datasets {input.datasets:q} --pairs {input.pairs:q} --runs {input.runs:q}"
        " --timing {input.timing:q} --record {input.record:q} --templates {params.folder:q} --suite {params.suite:q}"
        " --bandits {params.bandits:q} --drawings {params.drawings:q} --output {output:q} > {log:q} 2>&1"
