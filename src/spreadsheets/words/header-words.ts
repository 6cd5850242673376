/*
 * The words of which the names of columns in staff lists are made, in several languages, separated by blanks. Capitals,
 * accents, and signs don't matter: see `simplify`. A name of several words may stand here as one: `lastday`.
 */

/** Words that say what a column is. */
export const HEADER_WORDS = {
  first_name: `first given forename fname christianname vorname vornamen rufname prenom prenoms prenomusuel nombres
    voornaam voornamen roepnaam imie imiona primeironome nomeproprio nomedibattesimo 名 名字 氏名名 ファーストネーム имя الاسمالأول`,
  last_name: `last surname family lname sn nachname familienname zuname nomdefamille nomusuel apellido apellidos
    primerapellido cognome achternaam familienaam nazwisko sobrenome apelido 姓 氏 苗字 氏名姓 ラストネーム 姓氏 фамилия
    اسمالعائلة الاسمالأخير`,
  full_name: `full display legal complete complet completo vollstandiger anzeige affiche volledige weergave nominativo 氏名
    表示 姓名 фио полноеимя الاسمالكامل`,
  /** A first name beside a column of last names, and a full name otherwise. */
  first_or_full_name: `nombre nome 名前 الاسم`,
  /** A last name beside a column of first names, and a full name otherwise. */
  last_or_full_name: `name nom naam`,
  email: `email emails userprincipalname mail emailadresse mailadresse courriel adresseelectronique correo correoelectronico
    postaelettronica emailadres mailadres pocztaelektroniczna correioeletronico メール メールアドレス eメール 邮箱 邮件 电子
    почта электронная эл البريدالإلكتروني`,
  /** The people of the list. Their numbers become external ids if no other column does. */
  employee_number: `employee employees emp empid staff worker associate personnel payroll filenumber persnr
    personalnummer personalnr personeels mitarbeiter matricule salarie collaborateur empleado trabajador legajo matricula
    matricola colaborador dipendente medewerker werknemer pracownik pracownika ewidencyjny funcionario 社員 従業員 職員 员工
    人员 职工 工号 сотрудник сотрудника табельный таб тн الموظف الوظيفي`,
  external_id: `external externe externo objectid personid kurzel identifiant identificador identificativo akronim 外部
    идентификатор`,
  /** It becomes an external id if no better one is there. */
  user_name: `user username userid login account samaccountname benutzername benutzer anmeldename usuario utente
    utilisateur utilizador gebruiker gebruikersnaam uzytkownika ユーザー ログイン 用户 账号 логин имяпользователя`,
  job_title: `title job position designation occupation tatigkeit taetigkeits stelle stellenbezeichnung
    berufsbezeichnung positionsbezeichnung jobtitel funktion fonction poste emploi metier puesto cargo mansione qualifica
    posizione ruolo functie functietitel stanowisko funcao 役職 職位 職種 肩書 职位 岗位 职务 должность الوظيفة المسمىالوظيفي`,
  department: `department dept orgunit organizationalunit supervisoryorganization abteilung abteilungsname
    organisationseinheit departement departamento area unidadorganizativa reparto dipartimento afdeling dzial wydzial
    departament setor 部署 所属 部門 部门 подразделение отдел департамент الإدارة القسم`,
  division: `division businessunit bereich geschaftsbereich sparte pole branche unidaddenegocio divisione divisie pion
    divisao diretoria 事業部 本部 事业部 дивизион дирекция`,
  location: `location office site branch workplace city physicaldeliveryofficename building standort arbeitsort
    niederlassung betriebsstatte dienstort etablissement lieudetravail localisation agence ubicacion centrodetrabajo
    oficina sede lugardetrabajo filiale locatie vestiging werklocatie standplaats lokalizacja miejscepracy oddzial biuro
    localizacao localdetrabalho unidade escritorio filial 勤務地 勤務先 事業所 拠点 办公地点 工作地点 工作地 местоположение офис
    местоработы филиал локация الموقع موقعالعمل`,
  phone: `phone phones telephone mobile cell tel telefon telefonu handy mobil rufnummer portable telefono movil celular
    cellulare telefoon mobiel mobiele komorka telefone telemovel 電話 携帯 携帯電話 手机 手机号码 手机号 电话 телефон телефона
    мобильный الهاتف الجوال`,
  start_date: `start firstday hire hired joining joined join doj commencement beginn eintritt einstellung anstell
    beschaftigtseit beginntaetigkeit entree embauche arrivee debut alta inicio ingreso contratacion incorporacion
    assunzione inizio indienst indiensttreding zatrudnienia rozpoczecia przyjecia zatrudnionyod admissao contratacao 入社
    入職 採用 入职 加入 приема приёма принят трудоустройства начала التعيين المباشرة`,
  termination_date: `end term termination terminated departure leaving leave left exit separation relieving lastday lastworkingday
    austritt kundigung letzterarbeitstag beschaftigtbis endetaetigkeit ende sortie depart fin baja cese salida
    terminacion cessazione dimissioni fine uscita uitdienst uitdiensttreding eind zwolnienia zakonczenia odejscia
    zatrudnionydo demissao desligamento termino saida rescisao 退職 退社 離職 离职 退出 увольнения уволен окончания الخدمة`,
  status: `status statut situation etat estado situacion estatus stato situacao 在籍状況 在籍区分 状態 ステータス 在職状況 状态
    статус состояние الحالة`,
  /** Whether people are active: yes means active. */
  status_flag: `active enabled accountenabled activestatus aktiv actif activo attivo actief aktywny ativo 是否在职 работает
    действующий активен`,
  /** Whether people are inactive: yes means inactive. */
  status_inverted: `blocked archived inactive disabled suspended locked isterminated blocksignin gesperrt archiviert inaktiv
    ausgeschieden archive inactif bloque archivado inactivo bloqueado archiviato inattivo bloccato gearchiveerd inactief
    geblokkeerd archiwalny nieaktywny zablokowany arquivado inativo 退職済み 無効 是否离职 已禁用 уволенный заблокирован`,
  manager: `manager managers supervisor boss reports reporting superior vorgesetzter vorgesetzte
    fuhrungskraft teamleiter leitung responsable superieur jefe gerente responsabile superiore supervisore leidinggevende
    teamleider przelozony kierownik menedzer gestor chefia 上長 上司 直属上司 マネージャー 主管 直属主管 上级 经理 руководитель
    начальник менеджер المدير المديرالمباشر`,
  /** The country of local phone numbers. */
  country: `country usagelocation land pays pais paese nazione kraj 国 国家 страна`,
  /** What looks like an attribute, and is none. */
  not_ours: `middle nickname company notes address gender sex created birth birthday anrede geschlecht geburts
    geburtstag sexe sexo sesso plec naissance nacimiento nascita geboorte geboortedatum urodzenia nascimento 生 出生 рождения 性別 性别
    ヨミガナ フリガナ カナ пол отчество`,
} as const satisfies Record<string, string>

/** Words that stand beside those above, and which of these they may stand beside. */
export const OTHER_WORDS = {
  name: `name names nom nome naam nombre nazwa название наименование имя 名 名称 اسم`,
  number: `number no nr id ids code num nummer numero numer codigo codice kod uuid 番号 コード 编号 编码 号 номер код رقم`,
  date: `date day on since datum data fecha termin tag дата 日期 时间 年月日 日 تاريخ`,
  /** They say nothing that matters here. */
  filler: `of the or is to work working employment contact home biz business company corporate primary current original latest official line direct de di
    d del du des da do la le les l van der od na s r und et e y i in в на по beschaftigung arbeit dienstlich dienstliche geschaftliche
    professionnel professionnelle corporativo empresa comercial aziendale lavoro zakelijk werk sluzbowy sluzbowa pracy
    trabajo trabalho titulo intitule libelle hierarchique directo diretto description adresse adresa address direccion
    indirizzo adres endereco 会社 社用 工作 办公 公司 企业 рабочий рабочая работы непосредственный адрес`,
} as const satisfies Record<string, string>

/** What a column is, by its name. */
export type HeaderMeaning = keyof typeof HEADER_WORDS | 'never_store'
