# Owns the commands; each sets up everything that it needs (see .ci/setup).
.PHONY: demo lessons test docs rendered wheel setup clean
export PATH := $(CURDIR)/.venv/bin:$(PATH)

demo:
	.ci/setup demo
	python -m minitorch.demo

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

# The development environment alone: .venv with an editable install.
setup:
	.ci/setup test

clean:
	rm -rf build dist .venv
