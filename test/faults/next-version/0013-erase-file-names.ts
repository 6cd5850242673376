export { up } from '../../../migrations/0013-erase-file-names.ts'
