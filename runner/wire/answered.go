package wire

// Answered makes an error of an answer that did not come, or is one.
func Answered(resp Response, ok bool) (Response, error) {
	switch {
	case !ok:
		return resp, ErrHolderGone
	case resp.Error != nil:
		return resp, resp.Error.Err()
	}
	return resp, nil
}
