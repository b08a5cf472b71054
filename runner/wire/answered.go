package wire

// Answered returns the answer, and an error when the answer is an error or did not come.
func Answered(resp Response, ok bool) (Response, error) {
	switch {
	case !ok:
		return resp, ErrHolderGone
	case resp.Error != nil:
		return resp, resp.Error.Err()
	}
	return resp, nil
}
