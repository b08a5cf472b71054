package hold

import "slices"

// maxRemembered is how many pictures are remembered, to tell later what has changed since.
const maxRemembered = 64

// The remembered are the pictures that clients have received most recently.
type remembered []rememberedPicture

type rememberedPicture struct {
	hash string
	rows []uint64 // hashes
}

// add keeps the row hashes of a picture, to tell later which rows have changed since.
func (r *remembered) add(pic rememberedPicture) {
	*r = slices.DeleteFunc(*r, func(old rememberedPicture) bool { return old.hash == pic.hash })
	if len(*r) == maxRemembered {
		*r = slices.Delete(*r, 0, 1)
	}
	*r = append(*r, pic)
}

// rowsOf returns the row hashes of a picture that a client has received, or nil.
func (r remembered) rowsOf(hash string) []uint64 {
	for _, pic := range r {
		if pic.hash == hash {
			return pic.rows
		}
	}
	return nil
}
