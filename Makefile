# The commands; each sets up everything that it needs (see .ci/setup).
.PHONY: demo lessons test docs rendered wheel release-candidate setup clean
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Two tests at a time; those of a file stay together, they share what is slow to make.
PYTEST_OPTIONS ?= --numprocesses=2 --dist=loadfile

demo:
	.ci/setup demo
	python -m examples.demo

# The notebooks in JupyterLab, copied into minitorch-lessons.
lessons:
	.ci/setup lessons
	minitorch lessons --open

test:
	.ci/setup test
	ctest --test-dir build/venv --output-on-failure --parallel 2
	python -m pytest $(PYTEST_OPTIONS)

# The site, in build/site: notebooks that changed are run first.
docs:
	.ci/setup test
	python docs/build_site.py

# The notebooks with their outputs, in build/rendered; .ci/publish_rendered pushes them.
rendered:
	.ci/setup test
	python docs/run_notebooks.py
	python docs/render_notebooks.py

# Wheels as users get them, in dist/: repaired, checked and used outside this checkout.
wheel:
	.ci/setup demo
	.ci/wheel

# What a release consists of, built and checked in build/release; OWNER=ACCOUNT on GitHub.
release-candidate:
	.ci/setup test
	.ci/release_candidate $(OWNER)

# The development environment alone: .venv with an editable install.
setup:
	.ci/setup test

clean:
	rm -rf build dist .venv
