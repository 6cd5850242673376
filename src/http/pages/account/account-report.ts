import type { FastifyInstance } from 'fastify'
import { reportUser } from '../../../personal-data/report-user.ts'
import { ALWAYS } from '../../access/heavy-reads.ts'
import { ACCOUNT_PATH } from '../parts/navigation.ts'
import type { PageServices } from '../parts/page-services.ts'
import { sendReportFile } from '../parts/report-download.ts'
import { getActing } from '../parts/viewer.ts'

/** Adds the route with which users download what is held about them. */
export function addAccountReport(app: FastifyInstance, services: PageServices): void {
  app.post(`${ACCOUNT_PATH}/personal-data`, { config: { isHeavyRead: ALWAYS } }, async (request, reply) => {
    const acting = getActing(request)
    return sendReportFile(services, request, reply, await reportUser(services.company, acting, acting.actor))
  })
}
