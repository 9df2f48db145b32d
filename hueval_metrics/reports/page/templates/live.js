// The bar of a page that is served live.
