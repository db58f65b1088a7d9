import { h } from './dom.js';
export function show(main) { main.append(h('h1', {}, 'node')); return () => {}; }
