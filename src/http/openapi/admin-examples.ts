import type { Example } from './documented-schema.ts'

/** Example bodies for the admin endpoint, by operation. The tests send them to a real server in this order. */
export const ADMIN_BODIES: Record<string, Record<string, Example>> = {
  issueApiKey: {
    nightly: {
      summary: 'A key for a nightly sync',
      value: { name: 'HR sync', quota_limit: 10_000, refresh_period: 'monthly' },
    },
    narrowed: {
      summary: 'A key that only reads, until a date, from two networks',
      value: {
        name: 'Dashboard',
        scopes: ['employees:read'],
        expires_at: '2099-12-31T23:00:00Z',
        allowed_networks: ['192.0.2.0/24', '2001:db8::/32'],
      },
    },
  },
  editApiKey: {
    quota: { summary: 'Change the quota', value: { quota_limit: 50_000, refresh_period: 'weekly' } },
    access: {
      summary: 'Allow writing, without an end, from one address',
      value: { scopes: ['employees:read', 'employees:write'], expires_at: null, allowed_networks: ['203.0.113.7'] },
    },
  },
  rotateApiKey: { overlap: { summary: 'Keep the old secret working for an hour', value: { overlap_seconds: 3_600 } } },
  findSecrets: {
    secret: {
      summary: 'By the SHA-256 of a secret',
      value: { secret_sha256: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9' },
    },
    lastFour: { summary: 'By the last four characters of a secret', value: { q: 'x7Qd' } },
  },
  createWebhook: {
    employees: {
      summary: 'Tell another system about employees',
      value: {
        url: 'https://example.com/hooks',
        description: 'Directory',
        types: ['employee.created', 'employee.updated', 'employee.deactivated'],
      },
    },
    everything: { summary: 'Tell everything', value: { url: 'https://example.com/audit' } },
  },
  editWebhook: { faster: { summary: 'Send more messages at once', value: { concurrency: 8 } } },
  resumeWebhook: {
    since: { summary: 'Send again what happened since a time', value: { since: '2026-11-20T15:00:00Z' } },
    after: { summary: 'Send again what follows a position', value: { after: 1 } },
  },
  rotateWebhookSecret: {
    overlap: { summary: 'Sign with the old secret, too, for an hour', value: { overlap_seconds: 3_600 } },
  },
  createUpload: {
    records: {
      summary: 'A JSON file with one record',
      value: [{ external_id: 'E-1', first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' }],
    },
  },
  setUploadMapping: {
    columns: {
      summary: 'A German list, whose people who have left are deactivated',
      value: {
        columns: [
          { header: 'Personalnummer', to: 'external_id' },
          { header: 'Name', to: 'full_name', names: 'first_last' },
          { header: 'Eintritt', to: 'start_date', dates: 'day_first' },
          { header: 'Status', to: 'status', words: { Aktiv: 'active', Ausgeschieden: 'inactive' } },
          { header: 'Vorgesetzter', to: 'manager', by: 'full_name' },
          { header: 'Schuhgröße', to: 'custom', name: 'shoe_size', type: 'number' },
          { header: 'Notizen', to: 'nothing' },
        ],
        country: 'DE',
      },
    },
  },
  inviteUser: {
    auditor: { summary: 'An auditor', value: { email: 'olga@example.com', name: 'Olga Ivanova', role: 'auditor' } },
  },
  changeUser: { admin: { summary: 'Change the role', value: { role: 'admin' } } },
  acceptInvitation: {
    password: { summary: 'A first password', value: { token: '{token}', password: 'correct horse battery staple' } },
  },
  reportPersonalData: {
    json: { summary: 'By email address', value: { email: 'raj.patel@example.com' } },
    page: { summary: 'As a page', value: { email: 'raj.patel@example.com', format: 'html' } },
  },
  erasePerson: { email: { summary: 'By email address', value: { email: 'raj.patel@example.com' } } },
  changeCompany: {
    berlin: { summary: 'Change the time zone', value: { time_zone: 'Europe/Berlin' } },
    germany: { summary: 'Accept local phone numbers', value: { country: 'DE' } },
  },
  issueToken: {
    script: {
      summary: 'A token for a script',
      value: { name: 'nightly export', expires_in_days: 90, current_password: '{password}' },
    },
  },
}
