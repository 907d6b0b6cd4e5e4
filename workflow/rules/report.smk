# In:  the tables of results/SUITE and results/synthetic, the figures, logs/SUITE/timing.csv.
# Out: results/SUITE/scorecard.csv (every claim of the paper with its verdict), scorecard.md (the number of claims per
#      verdict), report.html (the page).
# Steps: judge the claims, write the page.


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
        mem_mb=megabytes(500),
        runtime=minutes(10),
    params:
        suite=SUITE,
    message:
        "Comparing the paper's claims with the results"
    shell:
        "python {input.script[0]} --table1 {input.table1:q} --rates {input.rates:q} --orderings {input.orderings:q}"
        " --sooner {input.sooner:q} --claims {input.claims:q} --table2 {input.table2:q} --suite {params.suite:q}"
        " --csv {output.csv:q} --markdown {output.markdown:q} > {log:q} 2>&1"


DRAWINGS = list(PLAN.drawings("synthetic", "classification"))
# The calibration, the multiverse, the sensitivity atlas and the search for readings are shown if they exist. They are not
# inputs, because their runs take long.
ON_DEMAND = [
    drawing
    for drawing in PLAN.drawings("calibration", "multiverse", "sensitivity", "readings")
    if Path(drawing["file"]).exists()
]
EXPLORED = Path(RESULTS, "multiverse", "claims.csv").exists()


# Not called `report`, which is a function of Snakemake.
rule page:
    input:
        script=script("report.py"),
        templates=relative(
            Path(workflow.basedir) / "workflow/report" / name
            for name in ("page.html", "page.css", "explorer.js", "multiverse.js")
        ),
        captions=relative(sorted({drawing["caption"] for drawing in DRAWINGS})),
        drawings=[drawing["file"] for drawing in DRAWINGS],
        scorecard=rules.scorecard.output.csv,
        claims=f"{RESULTS}/claims.csv",
        table1="results/synthetic/table1.csv",
        table2=rules.table2.output.csv,
        datasets=f"{RESULTS}/datasets.csv",
        pairs=f"{RESULTS}/pairs.csv",
        curves=f"{RESULTS}/curves.parquet",
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
        mem_mb=megabytes(1000 + 5 * len(DATASETS.rows)),
        runtime=minutes(10),
    params:
        suite=SUITE,
        bandits=CLASSIFICATION.paper_bandits,
        drawings=json.dumps(DRAWINGS + ON_DEMAND),
        readings=[
            str(path)
            for path in [Path("results/readings/readings.json")]
            if path.exists()
        ],
        multiverse=["--multiverse", f"{RESULTS}/multiverse"] if EXPLORED else [],
        folder=lambda wildcards, input: str(Path(input.templates[0]).parent),
    message:
        "Writing the page"
    shell:
        "python {input.script[0]} --scorecard {input.scorecard:q} --claims {input.claims:q} --table1 {input.table1:q}"
        " --table2 {input.table2:q} --datasets {input.datasets:q} --pairs {input.pairs:q} --curves {input.curves:q}"
        " --timing {input.timing:q} --record {input.record:q} --templates {params.folder:q} --suite {params.suite:q}"
        " --bandits {params.bandits:q} --drawings {params.drawings:q} {params.multiverse:q} --readings {params.readings:q}"
        " --output {output:q} > {log:q} 2>&1"
