// The plot library's types, at the address where the browser finds it.
export { default } from 'uplot';
