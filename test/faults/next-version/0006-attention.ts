export { up } from '../../../migrations/0006-attention.ts'
