import type { FastifyInstance } from 'fastify'
import type { PageServices } from '../parts/page-services.ts'
import { addEmployeeErasure } from './employee-erasure.ts'
import { addEmployeeReport } from './employee-report.ts'

/** The pages about the data of a person, for administrators: what is held, and erasing it. */
export function addPersonalDataPages(app: FastifyInstance, services: PageServices): void {
  addEmployeeErasure(app, services.db, services.company)
  addEmployeeReport(app, services)
}
