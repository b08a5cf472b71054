package runner

// answered makes an error of an answer that did not come, or is one.
func answered(resp response, ok bool) (response, error) {
	switch {
	case !ok:
		return resp, ErrHolderGone
	case resp.Error != nil:
		return resp, resp.Error.err()
	}
	return resp, nil
}
