# In:  the tables of results/SUITE and results/synthetic, the figures, logs/SUITE/timing.csv.
# Out: results/SUITE/scorecard.csv (every claim of the paper with a verdict), results/SUITE/report.html (one page).
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
        f"{RESULTS}/scorecard.csv",
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
        " --output {output:q} > {log:q} 2>&1"


def shown(stem):
    """The file of a figure that a page can show, if it is drawn in such a format."""
    formats = config["figures"]["formats"]
    ending = next(name for name in ("png", "svg", "pdf") if name in formats)
    return f"figures/{stem}.{ending}"


def drawing(section, stem, caption, title, **wildcards):
    """A figure of the page, as scripts/report.py wants it."""
    return {
        "file": shown(stem),
        "caption": str(HOME / f"workflow/report/{caption}.rst"),
        "wildcards": wildcards,
        "title": title,
        "section": section,
    }


def page_drawings():
    """The figures of the page in their order, but for the atlas, which is not part of a run."""
    drawings = [
        drawing("synthetic", "synthetic/surfaces", "surfaces", "Figure 1"),
        drawing(
            "synthetic",
            "synthetic/evolution_well",
            "evolution",
            "Figure 2",
            specification="well",
        ),
        drawing(
            "synthetic",
            "synthetic/evolution_mis",
            "evolution",
            "Figure 3",
            specification="mis",
        ),
        drawing("synthetic", "synthetic/curves", "curves", "Curves"),
        drawing("synthetic", "synthetic/settings", "settings", "Every setting"),
        drawing("synthetic", "synthetic/criteria", "criteria", "Every criterion"),
        drawing("classification", f"{SUITE}/claims", "claims", "The claims", part=""),
    ]
    for reading in READINGS[""]:
        for protocol in PROTOCOLS:
            drawings.append(
                drawing(
                    "classification",
                    f"{SUITE}/pairwise_{reading}_{protocol}",
                    "pairwise",
                    f"Figure 4: variance {reading}, protocol {protocol}",
                    part="",
                    reading=reading,
                    protocol=protocol,
                )
            )
        for name, title in {
            "wins": "Wins and losses",
            "ranks": "Critical-difference diagram",
            "profiles": "Performance profiles",
            "regrets": "Mean regret by size of datasets",
            "strata": "The claims by size of datasets",
        }.items():
            drawings.append(
                drawing(
                    "classification",
                    f"{SUITE}/{name}_{reading}",
                    name,
                    f"{title}: variance {reading}",
                    part="",
                    reading=reading,
                )
            )
    return drawings


def atlas_drawing():
    """The sensitivity atlas, if it was drawn. It is no input: its runs take long, and the report does not ask for them."""
    atlas = drawing(
        "sensitivity", "sensitivity/atlas", "atlas", "The sensitivity atlas"
    )
    return [atlas] if Path(atlas["file"]).exists() else []


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
        scorecard=rules.scorecard.output,
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
        folder=str(HOME / "workflow/report"),
    message:
        "Putting all on one page"
    shell:
        "python {input.script[0]} --scorecard {input.scorecard:q} --claims {input.claims:q} --table1 {input.table1:q}"
        " --table2 {input.table2:q} --datasets {input.datasets:q} --pairs {input.pairs:q} --runs {input.runs:q}"
        " --timing {input.timing:q} --record {input.record:q} --templates {params.folder:q} --suite {params.suite:q}"
        " --bandits {params.bandits:q} --drawings {params.drawings:q} --output {output:q} > {log:q} 2>&1"
