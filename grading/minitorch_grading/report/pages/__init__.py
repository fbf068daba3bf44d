"""Pages of reports: HTML without scripts, light and dark, one file each."""
