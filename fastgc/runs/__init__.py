"""Running a study, opening its file, replaying one of its trials."""
