export { up } from '../../../migrations/0036-partly-applied-uploads.ts'
