export { up } from '../../../migrations/0033-upload-originals.ts'
