package mask

// Forms returns the forms in which a secret is found.
var Forms = forms
