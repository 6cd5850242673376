import { example, type Example } from './schema-parts.ts'

/** Example bodies for the admin endpoint, by operation. The tests send them to a real server in this order. */
export const ADMIN_BODIES: Record<string, Record<string, Example>> = {
  issueApiKey: {
    nightly: example('A key for a nightly sync', { name: 'HR sync', quota_limit: 10_000, refresh_period: 'monthly' }),
    narrowed: example('A key that only reads, until a date, from two networks', {
      name: 'Dashboard',
      scopes: ['employees:read'],
      expires_at: '2099-12-31T23:00:00Z',
      allowed_networks: ['192.0.2.0/24', '2001:db8::/32'],
    }),
  },
  editApiKey: {
    quota: example('Change the quota', { quota_limit: 50_000, refresh_period: 'weekly' }),
    access: example('Allow writing, without an end, from one address', {
      scopes: ['employees:read', 'employees:write'],
      expires_at: null,
      allowed_networks: ['203.0.113.7'],
    }),
  },
  rotateApiKey: { overlap: example('Keep the old secret working for an hour', { overlap_seconds: 3_600 }) },
  allowExcess: {
    departures: example('Let a key deactivate 40 people beyond its limit', { max_deactivations: 40 }),
  },
  findSecrets: {
    secret: example('By the SHA-256 of a secret', {
      secret_sha256: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9',
    }),
    lastFour: example('By the last four characters of a secret', { q: 'x7Qd' }),
  },
  createWebhook: {
    employees: example('Tell another system about employees', {
      url: 'https://example.com/hooks',
      description: 'Directory',
      types: ['employee.created', 'employee.updated', 'employee.deactivated'],
    }),
    everything: example('Tell everything', { url: 'https://example.com/audit' }),
  },
  editWebhook: { faster: example('Send more messages at once', { concurrency: 8 }) },
  resumeWebhook: {
    since: example('Send again what happened since a time', { since: '2026-11-20T15:00:00Z' }),
    after: example('Send again what follows a position', { after: 1 }),
  },
  rotateWebhookSecret: {
    overlap: example('Sign with the old secret, too, for an hour', { overlap_seconds: 3_600 }),
  },
  createUpload: {
    records: example('A JSON file with one record', [
      { external_id: 'E-1', first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' },
    ]),
  },
  setUploadMapping: {
    columns: example('A German list, whose people who have left are deactivated', {
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
    }),
  },
  inviteUser: {
    auditor: example('An auditor', { email: 'olga@example.com', name: 'Olga Ivanova', role: 'auditor' }),
  },
  changeUser: { admin: example('Change the role', { role: 'admin' }) },
  acceptInvitation: {
    password: example('A first password', { token: '{token}', password: 'correct horse battery staple' }),
  },
  reportPersonalData: {
    json: example('By email address', { email: 'raj.patel@example.com' }),
    page: example('As a page', { email: 'raj.patel@example.com', format: 'html' }),
  },
  erasePerson: { email: example('By email address', { email: 'raj.patel@example.com' }) },
  changeCompany: {
    berlin: example('Change the time zone', { time_zone: 'Europe/Berlin' }),
    germany: example('Accept local phone numbers', { country: 'DE' }),
  },
  issueToken: {
    script: example('A token for a script', {
      name: 'nightly export',
      expires_in_days: 90,
      current_password: '{password}',
    }),
  },
}
