package files

// idOf tells nothing here, so that folders are not followed through links.
func idOf(string) (fileID, bool) { return fileID{}, false }
